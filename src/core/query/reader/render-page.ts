import { ApiError, apiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import { DeadlinePassed } from '../run/deadline.js';
import type { QueryService } from '../run/query-run.js';
import type { RequestContext } from '../run/request-context.js';
import type { Render, RenderCall, RenderedContent, RenderedSection, RenderPage } from './renderer.js';

/**
 * Calls the host's renderer.
 *
 * @throws ApiError if it fails; `onError` receives the reason.
 */
export const renderPage = async (
  render: Render,
  page: RenderPage,
  { deadline, caller }: RequestContext,
  { site, host }: QueryService,
): Promise<RenderedContent> => {
  const call: RenderCall = {
    caller,
    site,
    get signal() {
      return deadline.signal;
    },
  };
  let rendered: unknown;
  try {
    rendered = await deadline.waitFor((async () => render(page, call))());
  } catch (error) {
    if (error instanceof ApiError) throw error;
    host.onError(error);
    const code = error instanceof DeadlinePassed ? 'moduletimeout' : 'modulefailed';
    throw new ApiError(code, message(`apierror-${code}`, 'parse'));
  }
  if (isRendered(rendered)) return rendered;
  host.onError(
    new TypeError(
      'query: options.render must return { html }, and optionally trusted, sections, links, categories, templates, images, externallinks and displaytitle.',
    ),
  );
  throw apiError('modulefailed', 'parse');
};

const LISTS = ['links', 'categories', 'templates', 'images', 'externallinks'] as const;

const isTexts = (list: unknown): boolean => Array.isArray(list) && list.every((text) => typeof text === 'string');

const isRendered = (value: unknown): value is RenderedContent => {
  if (typeof value !== 'object' || value === null) return false;
  const { html, trusted = false, sections = [], displaytitle = '', ...lists } = value as Record<string, unknown>;
  return (
    typeof html === 'string' &&
    typeof trusted === 'boolean' &&
    typeof displaytitle === 'string' &&
    Array.isArray(sections) &&
    sections.every(isSection) &&
    LISTS.every((name) => isTexts(lists[name] ?? []))
  );
};

const isSection = (value: unknown): value is RenderedSection => {
  if (typeof value !== 'object' || value === null) return false;
  const { level, line, anchor, offset = 0 } = value as Record<string, unknown>;
  return (
    Number.isInteger(level) &&
    Number(level) >= 1 &&
    Number(level) <= 6 &&
    typeof line === 'string' &&
    typeof anchor === 'string' &&
    Number.isInteger(offset)
  );
};
