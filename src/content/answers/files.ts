import type { ResultItem } from '../../core/query/index.js';
import type { Content } from '../content.js';
import type { ContentFile, ContentPage } from '../source.js';
import { type Handler, type Having, listOf, readKey, titleBounds } from './answer.js';

const FILE = 6;

const MEDIA: Readonly<Record<string, string>> = { audio: 'AUDIO', image: 'BITMAP', text: 'TEXT', video: 'VIDEO' };

const mediaType = (mime: string): string =>
  mime === 'image/svg+xml' ? 'DRAWING' : (MEDIA[mime.split('/')[0] ?? ''] ?? 'UNKNOWN');

/** Information about a file, by the values of `prop`. */
const FACTS: Readonly<Record<string, (file: ContentFile, content: Content) => ResultItem>> = {
  timestamp: ({ timestamp }) => (timestamp === undefined ? {} : { timestamp }),
  user: ({ user }) => (user === undefined ? {} : { user }),
  size: ({ size, width = 0, height = 0 }) => ({ size, width, height }),
  dimensions: ({ size, width = 0, height = 0 }) => ({ size, width, height }),
  canonicaltitle: ({ title }, content) => ({ canonicaltitle: content.show({ ns: FILE, title }) }),
  url: ({ url, title }, content) => {
    const { server, articlePath } = content.site;
    const name = encodeURIComponent(content.show({ ns: FILE, title }).replaceAll(' ', '_')).replaceAll('%3A', ':');
    const descriptionurl = server + articlePath.replace('$1', () => name);
    return { url, descriptionurl };
  },
  sha1: ({ sha1 }) => (sha1 === undefined ? {} : { sha1 }),
  mime: ({ mime }) => ({ mime }),
  mediatype: ({ mime }) => ({ mediatype: mediaType(mime) }),
};

const fileItem = (file: ContentFile, props: readonly string[], content: Content): ResultItem =>
  Object.assign({}, ...props.map((prop) => FACTS[prop]?.(file, content)));

/** The latest version of files. The page of a file need not exist. */
export const imageinfo =
  (content: Having<'files'>): Handler<'imageinfo'> =>
  async (request) => {
    const { params, pages, continue: next } = request;
    readKey(next, 'text', 'text');
    const asked = [...pages.existing, ...pages.missing].filter(({ ns }) => ns === FILE);
    const named = asked.flatMap(({ id, title }) => {
      const known = content.read(title);
      return known ? [{ id, ...known }] : [];
    });
    // A missing page may be one that the caller may not see.
    const open = await content.openTitles(named, request);
    const files = await filesOf(content, open, request);
    return {
      pages: new Map(
        open.flatMap(({ id, title }) => {
          const file = files.get(title);
          return file ? [[id, { imagerepository: 'local', imageinfo: [fileItem(file, params.prop, content)] }]] : [];
        }),
      ),
    };
  };

const filesOf = async (
  content: Having<'files'>,
  pages: readonly { readonly title: string }[],
  request: Parameters<Handler<'imageinfo'>>[0] | Parameters<Handler<'allimages'>>[0],
): Promise<ReadonlyMap<string, ContentFile>> => {
  if (pages.length === 0) return new Map();
  const found = await content.source.files(
    pages.map(({ title }) => title),
    request,
  );
  return new Map(found.map((file) => [file.title, file]));
};

/** Files that have a page, by name. */
export const allimages =
  (content: Having<'files' | 'pageRange'>): Handler<'allimages'> =>
  async (request) => {
    const { params, limit, continue: next, warn } = request;
    const { minsize = 0, maxsize = Infinity, mime = [], sha1, sort } = params;
    if (sort === 'timestamp') {
      warn('nosort', 'This site can only list files by name.');
      return [];
    }
    const { from, ...bounds } = titleBounds(params, (text) => content.start(text, FILE), next?.replaceAll('_', ' '));
    type Row = ContentPage & { readonly file?: ContentFile | undefined };
    const open = content.openRows((page: Row) => page, request);
    const found = await content.collect<Row, string>(
      {
        limit,
        from,
        read: (start, size) => content.source.pageRange({ ...bounds, ns: FILE, from: start, limit: size }, request),
        key: ({ title }) => title,
        open: async (rows) => {
          const shown = await open(rows);
          const files = await filesOf(content, shown, request);
          return shown.map((row) => ({ ...row, file: files.get(row.title) }));
        },
        keep: ({ file }) =>
          file !== undefined &&
          file.size >= minsize &&
          file.size <= maxsize &&
          (mime.length === 0 || mime.includes(file.mime)) &&
          (sha1 === undefined || file.sha1 === sha1.toLowerCase()),
      },
      request,
    );
    const list = listOf(found, {
      item: ({ title, file }) => ({
        name: title.replaceAll(' ', '_'),
        ...(file ? fileItem(file, params.prop, content) : {}),
        ns: FILE,
        title: content.show({ ns: FILE, title }),
      }),
    });
    return { ...list, continue: found.next?.replaceAll(' ', '_') };
  };
