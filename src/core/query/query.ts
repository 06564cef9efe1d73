import { fromCaller } from '../base/mistakes.js';
import { movedFrom } from '../base/moved.js';
import { object } from '../base/schema.js';
import { feature, featureMaker } from '../feature/feature.js';
import type { Feature, FeatureMaker } from '../feature/types.js';
import { createQuery } from './create-query.js';
import { QUERY_OPTIONS } from './option-table.js';
import type { QueryOptions } from './options.js';
import type { QueryApi } from './query-api.js';

const TABLE = object(QUERY_OPTIONS, { moved: movedFrom('query') });

/** The query API as a feature. */
type QueryFeature = Feature<never, {}, QueryApi, 'query', never>;

const queryOf = (given: QueryOptions = {}): QueryFeature => {
  const options = fromCaller(queryOf, () => TABLE.read(given, 'query: options'));
  return feature({ name: 'query', start: (host) => createQuery(options, host) });
};

/**
 * The query API: `oauthQuery({ features: [query({ modules: { … } })] })`. Without handlers, its
 * responses are empty.
 *
 * @throws TypeError for an invalid option, with a sentence that names it and the remedy.
 */
export const query: typeof queryOf & FeatureMaker<'query'> = featureMaker('query', queryOf);
