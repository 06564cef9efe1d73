import type { HttpResponse } from '../../base/http/messages.js';
import type { MutableItem } from '../answer/result-format.js';
import type { RequestContext, ResultBudget } from './request-context.js';

/** The result of an action: data for the response, a bare list, an XML document, or a page. */
export type ActionResult =
  | { readonly data: MutableItem }
  | { readonly list: readonly unknown[]; readonly refusesWarnings: boolean }
  | { readonly xml: string }
  | { readonly page: HttpResponse };

/**
 * An action of the endpoint: parses its parameters. The returned function runs it; it is called again with a smaller
 * budget if the response is too long.
 */
export type Action = (context: RequestContext) => (budget: ResultBudget) => Promise<ActionResult>;
