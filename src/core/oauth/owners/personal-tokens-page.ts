import { defined } from '../../base/defined.js';
import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { redirect } from '../../base/http/responses.js';
import type { HiddenFields } from '../../base/pages/forms.js';
import type { PageProblemCode } from '../../base/pages/languages/english.js';
import { pageResponse } from '../../base/pages/response.js';
import { sha256 } from '../../base/secrets.js';
import { checkAwaited } from '../../base/waiting.js';
import { shownName } from '../clients/client-metadata.js';
import { PERSONAL_TOKENS } from '../clients/personal-client.js';
import { LIMITS } from '../facts/limits.js';
import type { Parameters } from '../facts/parameters.js';
import type { OAuthContext } from '../kernel/context.js';
import {
  endAfterQuestion,
  grantsPath,
  readEnded,
  readPageForm,
  senderOf,
  tokensPath,
  type Visitor,
  visitorOf,
} from '../kernel/owner-pages.js';
import type { Ending } from '../pages/endings.js';
import { PageError } from '../pages/page-error.js';
import { scopeViews } from '../pages/scope-views.js';
import type { Owner } from '../records/owner.js';
import { type Destination, formExpired, SIGN_IN_FIELDS } from '../sign-in/sign-in.js';
import { disconnect } from './ended-grants.js';
import {
  createPersonalToken,
  endPersonalToken,
  findPersonalToken,
  personalTokens,
  type WantedToken,
} from './personal-tokens.js';

/** The lifetimes to choose from, as far as the site allows them. */
const DAYS = [7, 30, 90, 180, 365] as const;
const USUAL_DAYS = 30;

const FORM_ID_BYTES = 16;

const PARAMETERS = {
  ...SIGN_IN_FIELDS,
  form: 'vschar',
  name: 'text',
  days: 'vschar',
  revoke: 'vschar',
  decision: 'vschar',
  confirmed: 'vschar',
} as const;

/** Names of fields have no characters that a body parser could take for structure. */
const fieldOf = (scope: string): string => `scope_${sha256(scope).slice(0, 12)}`;

/** The scopes that a token may have. */
const scopesOf = async ({ config }: OAuthContext): Promise<readonly string[]> => [
  ...((await config.clients.find(PERSONAL_TOKENS))?.scopes ?? []),
];

const daysOf = ({ config }: OAuthContext): readonly number[] => {
  const max = config.personalTokens?.maxDays ?? 0;
  return [...DAYS.filter((days) => days < max), max];
};

const destinationOf = (context: OAuthContext): Destination => {
  const action = tokensPath(context);
  return { action, returnTo: action, hidden: {} };
};

const purposeOf = ({ sub }: Owner, form: string): readonly string[] => ['personal tokens', sub, form];

/** What the form showed or did before. */
interface PageState {
  readonly wanted?: Omit<WantedToken, 'form'>;
  readonly problemCode?: PageProblemCode;
  readonly created?: string;
  readonly done?: Ending | undefined;
}

const tokensPageFor = async (
  { owner, session }: Visitor,
  { wanted, problemCode, created, done }: PageState,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const { signIn, pages, config, random } = context;
  const form = random.string(FORM_ID_BYTES);
  const [tokens, scopes] = await Promise.all([personalTokens(owner.sub, context), scopesOf(context)]);
  const days = daysOf(context);
  const page = await pages.show('tokens', {
    action: tokensPath(context),
    hidden: { form, form_token: signIn.sessions.formToken(session, purposeOf(owner, form)) },
    username: owner.username ?? owner.sub,
    tokens: tokens.map(({ id, name, scopes: own, created: at, lastUsed, expires }) => ({
      id,
      name,
      scopes: scopeViews(own, config, pages.locale),
      expires,
      ...defined({ created: at, lastUsed }),
    })),
    scopes: scopes.flatMap((scope) =>
      scopeViews([scope], config, pages.locale).map((view) => ({
        ...view,
        field: fieldOf(scope),
        isChosen: wanted?.scopes.includes(scope) ?? false,
      })),
    ),
    days,
    selectedDays: wanted?.days ?? days.findLast((count) => count <= USUAL_DAYS) ?? days[0] ?? USUAL_DAYS,
    name: wanted?.name ?? '',
    done,
    grantsPath: grantsPath(context),
    canSignOut: signIn.isBuiltIn,
    ...defined({ created, problemCode }),
  });
  return pageResponse(page, {
    status: problemCode === undefined ? 200 : 400,
    cookie: signIn.sessions.setCookie(session),
  });
};

/** `GET`: the page that shows owners their personal tokens. */
export const tokensPage = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const visitor = await visitorOf(request, destinationOf(context), context);
  if ('response' in visitor) return visitor.response;
  return tokensPageFor(visitor, { done: readEnded(request, visitor, context) }, context);
};

const create = async (
  request: HttpRequest,
  form: Parameters,
  id: string,
  visitor: Visitor,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const name = shownName(form.get('name') ?? '');
  const allowed = await scopesOf(context);
  const scopes = allowed.filter((scope) => form.get(fieldOf(scope)) !== undefined);
  const days = daysOf(context).find((count) => String(count) === form.get('days')) ?? USUAL_DAYS;
  const wanted = { name: name ?? '', scopes, days: Math.min(days, context.config.personalTokens?.maxDays ?? days) };
  const refuse = (problemCode: PageProblemCode): Promise<HttpResponse> =>
    tokensPageFor(visitor, { wanted, problemCode }, context);
  if (wanted.name === '') return refuse('no_token_name');
  if (scopes.length === 0) return refuse('no_token_scope');
  const existing = await personalTokens(visitor.owner.sub, context);
  if (existing.length >= LIMITS.personalTokens) return refuse('too_many_tokens');
  checkAwaited(request);
  const created = await createPersonalToken(visitor.owner, { ...wanted, form: id }, context);
  if (created === undefined) return refuse('token_already_created');
  if (await context.signIn.isOver(visitor.session, context)) {
    await context.tokens.revokeGrant(created, { reason: 'unused' }, context.emit);
    throw formExpired(tokensPath(context));
  }
  return tokensPageFor(visitor, { created: created.token }, context);
};

const end = async (
  request: HttpRequest,
  form: Parameters,
  fields: HiddenFields,
  visitor: Visitor,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const { sub } = visitor.owner;
  const id = form.get('revoke');
  const token = id === undefined ? undefined : await findPersonalToken(sub, id, context);
  // Revoked meanwhile, or expired.
  if (id !== undefined && token === undefined) return redirect(tokensPath(context), 303);
  const ending: Ending =
    token === undefined
      ? { kind: 'revoke_all', of: (await personalTokens(sub, context)).length }
      : { kind: 'revoke', of: token.name };
  const chosen: HiddenFields = id === undefined ? { decision: 'revoke_all' } : { revoke: id };
  const page = { path: context.config.paths.tokens[0], hidden: { ...fields, ...chosen } };
  const work = async (): Promise<void> => {
    if (token !== undefined) return endPersonalToken(sub, token, context);
    const tidy = await disconnect({ sub, client_id: PERSONAL_TOKENS }, { reason: 'owner', by: sub }, context);
    tidy().catch(context.onError);
  };
  return endAfterQuestion(request, form, visitor, ending, page, work, context);
};

/** `POST`: creates or revokes a token; or the built-in sign-in form. */
export const tokensForm = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const scopes = Object.fromEntries((await scopesOf(context)).map((scope) => [fieldOf(scope), 'vschar'] as const));
  const form = await readPageForm(request, { ...PARAMETERS, ...scopes }, context);
  const id = form.get('form') ?? '';
  const destination = destinationOf(context);
  const sender = await senderOf(request, form, destination, (owner) => purposeOf(owner, id), context);
  if ('response' in sender) return sender.response;
  const decision = form.get('decision');
  if (decision === 'create') return create(request, form, id, sender, context);
  if (decision === 'revoke_all' || form.get('revoke') !== undefined)
    return end(request, form, { form: id, form_token: sender.form_token }, sender, context);
  throw new PageError('nothing_chosen', { back: { href: destination.returnTo } });
};
