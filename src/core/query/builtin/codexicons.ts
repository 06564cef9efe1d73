import type { ParamsOf } from '../catalogue/index.js';
import type { ListHandler } from '../run/handlers.js';

/** Answers `list=codexicons` with the names alone: this package brings no drawings. */
export const codexicons: ListHandler<ParamsOf<'codexicons'>> = ({ params: { names } }) =>
  names.map((name) => ({ name }));
