import type { ParamsOf } from './catalogue/index.js';
import { createQuery } from './create-query.js';
import type { ModuleDescriptor } from './descriptor.js';
import { CREATE_QUERY } from './prepare-query.js';
import type { CustomModule, HandlerOf } from './run/handlers.js';

/** Combines a descriptor and its handler, with parameters typed by the descriptor. */
export const customModule = <const M extends ModuleDescriptor>(
  descriptor: M,
  handler: HandlerOf<M, ParamsOf<M>>,
): CustomModule => {
  const module = { descriptor, handler, [CREATE_QUERY]: createQuery };
  return module;
};
