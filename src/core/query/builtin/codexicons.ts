import type { ParamsOf } from '../catalogue/index.js';
import type { ListHandler } from '../run/handlers.js';

/** Answers `list=codexicons` with names only: this package contains no icons. */
export const codexicons: ListHandler<ParamsOf<'codexicons'>> = ({ params: { names } }) =>
  names.map((name) => ({ name }));
