import { message } from '../answer/messages.js';
import type { RequestContext } from './request-context.js';

/** Warns of parameters that no module has. */
export const warnUnrecognized = (
  { parameters, parsers, expanded, warnings }: RequestContext,
  isIgnored: (name: string) => boolean = () => false,
): void => {
  const unread = parameters.namesBut(
    (name) => parsers.some((parser) => parser.knows(name)) || expanded?.has(name) || isIgnored(name),
  );
  if (unread.length > 0) {
    warnings.add(
      'main',
      'unrecognizedparams',
      message('apierror-unrecognizedparams', { list: unread, type: 'comma' }, unread.length),
    );
  }
};
