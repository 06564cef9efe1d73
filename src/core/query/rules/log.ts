import { ApiError } from '../answer/api-error.js';
import { catalogue } from '../catalogue/index.js';
import { message } from '../answer/messages.js';
import type { Rule } from './rule.js';
import { atMostOneOf } from './rule.js';

const ACTIONS: ReadonlySet<string> = new Set(catalogue.logevents.parameters.action.type);

/**
 * `leaction` is described by a list but looked at here, because `thanks/*` in the list admits any kind of thanks.
 * MediaWiki has a code of its own for it.
 */
export const logAction: Rule = ({ params: { action }, wire }) => {
  if (typeof action !== 'string' || ACTIONS.has(action) || ACTIONS.has(`${action.split('/', 1)[0] ?? ''}/*`)) return;
  throw new ApiError(
    `unknown_${wire('action')}`,
    message('paramvalidator-badvalue-enumnotmulti', { plaintext: wire('action') }, { plaintext: action }),
  );
};

/** Parameters whose list of values is looked at by a rule instead of by their type. */
export const LOOSE_ENUMS: ReadonlyMap<string, string> = new Map([['logevents', 'action']]);

export const logTarget: Rule = atMostOneOf('title', 'prefix', 'namespace');

/** `rnredirect` is the old way to say what `rnfilterredir` says. */
export const randomRedirects: Rule = (request) => {
  if (request.sent('filterredir') && request.params['redirect'] === true) {
    throw new ApiError(
      'invalidparammix',
      message(
        'apierror-invalidparammix',
        { list: [`"${request.wire('filterredir')}"`, `"${request.wire('redirect')}"`], type: 'text' },
        2,
      ),
    );
  }
};
