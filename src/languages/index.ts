/**
 * The languages of the pages, as values for the option `languages`: the pages are offered in these, and the first one is the default.
 *
 * @module oauth-query/languages
 */

export {
  english,
  type FeatureTexts,
  type PageLanguage,
  type PageTextName,
  type PageTexts,
  type PluralText,
} from '../core/base/pages/languages/english.js';
export type { AdminTexts } from '../features/admin/texts.js';
export type { SessionTexts } from '../features/sessions/texts.js';
export type { ApiTexts } from '../core/query/describe/texts/api-texts.js';
export { arabic } from './arabic.js';
export { simplifiedChinese } from './chinese.js';
export { french } from './french.js';
export { german } from './german.js';
export { japanese } from './japanese.js';
export { portuguese } from './portuguese.js';
export { spanish } from './spanish.js';
