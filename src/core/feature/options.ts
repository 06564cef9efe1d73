/**
 * Reads the options of a feature by a table that says what each of them accepts. An error names the option and what it must be; for an
 * unknown name, it suggests a known one.
 */
export {
  type Checked,
  condition,
  either,
  type Entry,
  flag,
  fn,
  having,
  integer,
  listOf,
  mapOf,
  neverUndefined,
  object,
  oneOf,
  orElse,
  path,
  refined,
  required,
  type Schema,
  text,
  value,
  wholeNumber,
} from '../base/schema.js';
