import type { ParamsOf } from './catalogue/index.js';
import type { ModuleDescriptor } from './descriptor/descriptor.js';
import type { CustomModule, HandlerOf } from './run/handlers.js';

/** Combines a descriptor and its handler, with parameters typed by the descriptor. */
export const customModule = <const M extends ModuleDescriptor>(
  descriptor: M,
  handler: HandlerOf<M, ParamsOf<M>>,
): CustomModule => ({ descriptor, handler });
