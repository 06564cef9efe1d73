import type { ResultItem, Site } from '../../core/query/index.js';
import { pageAddress, defined } from '../../core/query/toolkit.js';
import type { Asking, Content } from '../content.js';
import { FILE } from '../keys.js';
import type { ContentFile, ContentPage } from '../source.js';
import { accepts, type Answer, type Having, listOf, readKey, spanOf, titleBounds } from './answer.js';

const MEDIA: Readonly<Record<string, string>> = { audio: 'AUDIO', image: 'BITMAP', text: 'TEXT', video: 'VIDEO' };

const mediaType = (mime: string): string =>
  mime === 'image/svg+xml' ? 'DRAWING' : (MEDIA[mime.split('/')[0] ?? ''] ?? 'UNKNOWN');

const dimensions = ({ size, width = 0, height = 0 }: ContentFile): ResultItem => ({ size, width, height });

/** Information about a file with the full title of its page, by the values of `prop`. */
const FACTS: Readonly<Record<string, (file: ContentFile, title: string, site: Site) => ResultItem>> = {
  timestamp: ({ timestamp }) => defined({ timestamp }),
  user: ({ user }) => defined({ user }),
  size: dimensions,
  dimensions,
  canonicaltitle: (_file, title) => ({ canonicaltitle: title }),
  url: ({ url }, title, site) => ({
    url: url.startsWith('/') ? site.server + url : url,
    descriptionurl: pageAddress(title, site),
  }),
  sha1: ({ sha1 }) => defined({ sha1 }),
  mime: ({ mime }) => ({ mime }),
  mediatype: ({ mime }) => ({ mediatype: mediaType(mime) }),
};

const fileItem = (file: ContentFile, props: readonly string[], content: Content, site: Site): ResultItem => {
  const title = content.show({ ns: FILE, title: file.title });
  return Object.assign({}, ...props.map((prop) => FACTS[prop]?.(file, title, site)));
};

/** The latest version of files. The page of a file need not exist. Of a file that does not exist, there is no version. */
export const imageinfo: Answer<'imageinfo', 'files'> = async (content, request) => {
  const { params, pages, continue: next, site } = request;
  readKey(next, 'text', 'text');
  const named = [...pages.existing, ...pages.missing].flatMap(({ id, ns, title }) => {
    const known = ns === FILE ? content.read(title) : undefined;
    return known ? [{ id, ...known }] : [];
  });
  // The file of a page that the caller may not see is hidden too.
  const files = await filesOf(content, await content.openTitles(named, request), request);
  const versionOf = (title: string): ResultItem => {
    const file = files.get(title);
    if (!file) return { imagerepository: '' };
    return { imagerepository: 'local', imageinfo: [fileItem(file, params.prop, content, site)] };
  };
  return { pages: new Map(named.map(({ id, title }) => [id, versionOf(title)])) };
};

const filesOf = async (
  { source }: Having<'files'>,
  pages: readonly { readonly title: string }[],
  asking: Asking,
): Promise<ReadonlyMap<string, ContentFile>> => {
  const titles = pages.map(({ title }) => title);
  const found = titles.length === 0 ? [] : await source.files(titles, asking);
  return new Map(found.map((file) => [file.title, file]));
};

/** Files that have a page, by name. */
export const allimages: Answer<'allimages', 'files' | 'pageRange'> = async (content, request) => {
  const { params, limit, continue: next, site, warn } = request;
  const { minsize = 0, maxsize = Infinity, mime, sha1, sort } = params;
  if (sort === 'timestamp') {
    const first = await content.source.pageRange({ ns: FILE, descending: false, limit: 50 }, request);
    const files = await filesOf(content, await content.shown(first, request), request);
    if (files.size > 0) warn('nosort', 'This site can only list files by name.');
    return [];
  }
  const { from, ...bounds } = titleBounds(params, (text) => content.start(text, FILE), next?.replaceAll('_', ' '));
  const file = { size: spanOf(params.minsize, params.maxsize), mime, sha1: sha1?.toLowerCase() };
  const range = { ...bounds, ns: FILE, file };
  const found = await content.collect<ContentPage, string, ContentPage & { readonly file: ContentFile | undefined }>(
    request,
    {
      limit,
      from,
      read: (start, size) => content.source.pageRange({ ...range, from: start, limit: size }, request),
      key: ({ title }) => title,
      open: async (rows) => {
        const shown = await content.shown(rows, request);
        const files = await filesOf(content, shown, request);
        return shown.map((row) => ({ ...row, file: files.get(row.title) }));
      },
      keep: ({ file: found }) =>
        found !== undefined &&
        found.size >= minsize &&
        found.size <= maxsize &&
        accepts(mime, found.mime) &&
        (file.sha1 === undefined || found.sha1 === file.sha1),
    },
  );
  const list = listOf(found, {
    item: ({ title, file }) => ({
      name: title.replaceAll(' ', '_'),
      ...(file && fileItem(file, params.prop, content, site)),
      ns: FILE,
      title: content.show({ ns: FILE, title }),
    }),
  });
  return { ...list, continue: found.next?.replaceAll(' ', '_') };
};
