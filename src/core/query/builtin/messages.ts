import type { ResultItem } from '../answer/result-format.js';
import type { ParamsOf } from '../catalogue/index.js';
import type { MetaHandler, ModuleRequest } from '../run/handlers.js';
import type { Site } from '../site/site.js';

type Params = ParamsOf<'allmessages'>;

/** The name of a message, from the title of its page. Names of messages are ASCII in every language. */
export const messageName = (title: string): string =>
  (title.charAt(0).toLowerCase() + title.slice(1)).replaceAll(' ', '_');

/** Messages that follow from the site options. Other default messages belong to MediaWiki's software. */
const defaultsOf = ({ mainPage, name }: Site): ReadonlyMap<string, string> =>
  new Map([
    ['mainpage', mainPage],
    // Programs that copy a site show it as its description.
    ['tagline', name],
  ]);

const filled = (text: string, args: readonly string[]): string =>
  text.replace(/\$(\d+)/g, (hole, number: string) => args[Number(number) - 1] ?? hole);

/**
 * The interface messages of a site.
 *
 * @param texts - Those that the site has changed, by their names.
 */
export const messageRows = (
  { params, site, warn }: ModuleRequest<Params>,
  texts: ReadonlyMap<string, string | null> = new Map(),
): readonly ResultItem[] => {
  const { messages, from, to, prefix = '', filter = '', customised, args = [] } = params;
  if (params.enableparser) warn('noparser', 'This site returns messages without parsing them.');
  const defaults = defaultsOf(site);
  const wanted = messages.includes('*')
    ? texts.keys()
    : new Set(messages.map((name) => messageName(name.replaceAll(' ', '_'))).sort());
  const isMeant = (name: string): boolean =>
    (from === undefined || name >= messageName(from)) &&
    (to === undefined || name <= messageName(to)) &&
    name.startsWith(messageName(prefix)) &&
    name.includes(filter) &&
    (customised === 'all' || texts.has(name) === (customised === 'modified'));
  const describe = (name: string): ResultItem => {
    const preset = defaults.get(name);
    const text = texts.get(name) ?? preset;
    const shown = text === undefined ? { missing: true } : params.nocontent ? {} : { content: filled(text, args) };
    const isDefaultWanted = params.prop?.includes('default') ?? false;
    return {
      name,
      normalizedname: name,
      ...(customised !== 'all' && { customised: texts.has(name) }),
      ...shown,
      ...(isDefaultWanted && (preset === undefined ? { defaultmissing: true } : { default: preset })),
    };
  };
  return [...wanted].filter(isMeant).map(describe);
};

/** Answers `meta=allmessages` for a site that has changed none. */
export const allmessages: MetaHandler<Params> = (request) => ({ data: messageRows(request) });
