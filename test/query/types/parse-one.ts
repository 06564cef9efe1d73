import { ApiError } from '../../../src/core/query/answer/api-error.js';
import type { ParamDescriptor } from '../../../src/core/query/descriptor/descriptor.js';
import { compileModule } from '../../../src/core/query/parameters/parse.js';
import { contextOf, site, sourceOf } from '../fixture.js';

/** Parses one parameter of a module with the prefix `xx`. */
export function parseOne(descriptor: ParamDescriptor, text: string, { highLimits = false } = {}) {
  const context = contextOf({ highLimits });
  const parser = compileModule(
    { name: 'example', group: 'list', prefix: 'xx', parameters: { value: descriptor } },
    site,
  );
  const { value } = parser.parse(sourceOf({ xxvalue: text }), context);
  return { value, warnings: context.warnings.list, limits: Object.fromEntries(context.limits ?? []) };
}

export function refusal(work: () => unknown): ApiError {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}
