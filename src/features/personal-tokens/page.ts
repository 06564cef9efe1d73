import { createHash } from 'node:crypto';
import {
  checkAwaited,
  checkStillAwaited,
  type FeatureHost,
  type Form,
  type FormFields,
  type OwnerVisit,
  PERSONAL_TOKENS,
  redirect,
} from '../../core/feature/index.js';
import { confirmContent, COPY_SCRIPT, type Html, PageError, questionIn } from '../../core/pages.js';
import { type Problem, tokensContent, type Wanted } from './view.js';

type Answer = ReturnType<OwnerVisit['frame']['respond']>;

/** The lifetimes to choose from, as far as the site allows them. */
const DAYS = [7, 30, 90, 180, 365] as const;
const USUAL_DAYS = 30;

const FORM_BYTES = 16;

/** Names of fields have no characters that a body parser could take for structure. */
const fieldOf = (scope: string): string =>
  `scope_${createHash('sha256').update(scope).digest('base64url').slice(0, 12)}`;

/** The fields of all forms. */
export const fieldsOf = (scopes: readonly string[]): FormFields => ({
  form: 'vschar',
  proof: 'vschar',
  name: 'text',
  days: 'vschar',
  revoke: 'vschar',
  confirmed: 'vschar',
  ...Object.fromEntries(scopes.map((scope) => [fieldOf(scope), 'vschar' as const])),
});

/** What ends: the question before, and the message afterwards. */
const ENDINGS = {
  revoke: { ask: 'askEndToken', press: 'endToken', explain: 'tokenEnds', done: 'tokenEnded' },
  revoke_all: { ask: 'askEndAllTokens', press: 'endToken', explain: 'tokenEnds', done: 'tokensEnded' },
} as const;

/** One token by its name, or all by their number. */
interface Ending {
  readonly kind: keyof typeof ENDINGS;
  readonly of: string;
}

const valuesOf = ({ kind, of }: Ending): Readonly<Record<string, string | number>> =>
  kind === 'revoke' ? { name: of } : { count: Number(of) };

/** What the form showed or did before. */
interface PageState {
  readonly wanted?: Wanted;
  readonly problem?: Problem;
  readonly created?: string;
}

const addressOf = ({ frame, path }: OwnerVisit): string => frame.address(path);

const formExpired = (visit: OwnerVisit): PageError =>
  new PageError('form_expired', { status: 403, back: { href: addressOf(visit) } });

/** The page of an owner's personal tokens. */
export class TokensPage {
  readonly #host: FeatureHost;
  readonly #days: readonly number[];

  constructor(host: FeatureHost, maxDays: number) {
    this.#host = host;
    this.#days = [...DAYS.filter((days) => days < maxDays), maxDays];
  }

  /** `GET`: the tokens, and a form for another one. */
  async show(visit: OwnerVisit, { wanted, problem, created }: PageState = {}): Promise<Answer> {
    const { owner, frame, hidden, cookie, proofOf } = visit;
    const { personalTokens, describeScopes } = this.#host;
    const { locale } = frame.language;
    const form = Buffer.from(this.#host.random(FORM_BYTES)).toString('base64url');
    const [tokens, scopes] = await Promise.all([personalTokens.list(owner.sub), personalTokens.scopes()]);
    const content = tokensContent(visit, {
      hidden: { ...hidden, form, proof: proofOf(['form', form]) },
      tokens: tokens.map((token) => ({ ...token, described: describeScopes(token.scopes, locale) })),
      choices: scopes.flatMap((scope) =>
        describeScopes([scope], locale).map(({ description }) => ({
          field: fieldOf(scope),
          description,
          isChosen: wanted?.scopes.includes(scope) ?? false,
        })),
      ),
      days: this.#days,
      selectedDays: wanted?.days ?? this.#days.findLast((count) => count <= USUAL_DAYS) ?? this.#days[0] ?? USUAL_DAYS,
      name: wanted?.name ?? '',
      problem,
      created,
      notice: doneIn(visit),
    });
    return frame.respond(content, { status: problem === undefined ? 200 : 400, cookie }, [COPY_SCRIPT]);
  }

  /** `POST`: creates or revokes a token. */
  async submit(visit: OwnerVisit, form: Form): Promise<Answer> {
    const id = form.get('form') ?? '';
    if (!visit.isProof(form.get('proof') ?? '', ['form', id])) throw formExpired(visit);
    const decision = form.get('decision');
    if (decision === 'create') return this.#create(visit, form, id);
    const chosen = form.get('revoke');
    if (chosen !== undefined) return this.#revoke(visit, form, chosen);
    if (decision === 'revoke_all') return this.#revokeAll(visit, form);
    throw new PageError('nothing_chosen', { back: { href: addressOf(visit) } });
  }

  async #create(visit: OwnerVisit, form: Form, id: string): Promise<Answer> {
    const { owner, request, emit, session } = visit;
    const { personalTokens, owners } = this.#host;
    const name = personalTokens.shownName(form.get('name') ?? '') ?? '';
    const scopes = (await personalTokens.scopes()).filter((scope) => form.get(fieldOf(scope)) !== undefined);
    const asked = this.#days.find((count) => String(count) === form.get('days')) ?? USUAL_DAYS;
    const wanted: Wanted = { name, scopes, days: Math.min(asked, this.#days.at(-1) ?? asked) };
    const refuse = (problem: Problem): Promise<Answer> => this.show(visit, { wanted, problem });
    if (name === '') return refuse('no_token_name');
    if (scopes.length === 0) return refuse('no_token_scope');
    if ((await personalTokens.list(owner.sub)).length >= personalTokens.limit) return refuse('too_many_tokens');
    checkAwaited(request);
    const created = await personalTokens.create(owner, { ...wanted, form: id }, emit);
    if (created === undefined) return refuse('token_already_created');
    // Who ended the session meanwhile may not have seen the token; other forms may have created theirs at the same time.
    const isExpired = session !== undefined && (await owners.live([session])).length === 0;
    const isOneTooMany = !isExpired && (await personalTokens.list(owner.sub)).length > personalTokens.limit;
    if (isExpired || isOneTooMany) await personalTokens.discard(created, emit);
    if (isExpired) throw formExpired(visit);
    return isOneTooMany ? refuse('too_many_tokens') : this.show(visit, { created: created.token });
  }

  async #revoke(visit: OwnerVisit, form: Form, id: string): Promise<Answer> {
    const { personalTokens } = this.#host;
    const { sub } = visit.owner;
    const token = await personalTokens.find(sub, id);
    // Revoked meanwhile, or expired.
    if (token === undefined) return redirect(addressOf(visit), 303);
    const ending: Ending = { kind: 'revoke', of: token.name };
    return this.#end(visit, form, ending, { revoke: id }, () => personalTokens.end(sub, token, visit.emit));
  }

  async #revokeAll(visit: OwnerVisit, form: Form): Promise<Answer> {
    const { personalTokens, owners } = this.#host;
    const { sub } = visit.owner;
    const ending: Ending = { kind: 'revoke_all', of: String((await personalTokens.list(sub)).length) };
    const end = (): Promise<void> => owners.disconnect(sub, PERSONAL_TOKENS, visit);
    return this.#end(visit, form, ending, { decision: 'revoke_all' }, end);
  }

  /** Asks first. Afterwards, only this session has the address of the page that says what has ended. */
  async #end(
    visit: OwnerVisit,
    form: Form,
    ending: Ending,
    chosen: Readonly<Record<string, string>>,
    end: () => Promise<void>,
  ): Promise<Answer> {
    const { frame, path, hidden, cookie, request, proofOf } = visit;
    const { kind, of } = ending;
    if (form.get('confirmed') === undefined) {
      const [id = '', proof = ''] = [form.get('form'), form.get('proof')];
      const asked = questionIn(frame.language, ENDINGS[kind], valuesOf(ending));
      const fields = { ...hidden, form: id, proof, ...chosen, confirmed: 'yes' };
      const content = confirmContent({ ...asked, action: path, hidden: fields, cancelPath: addressOf(visit) });
      return frame.respond(content, { cookie });
    }
    await checkStillAwaited(request, this.#host.timer); // Read late, it would end what was created after it was sent.
    await end();
    const query = new URLSearchParams({ ended: kind, of, proof: proofOf(['ended', kind, of]) });
    return redirect(frame.address(`${path}?${query.toString()}`), 303);
  }
}

const isKind = (kind: string): kind is Ending['kind'] => Object.hasOwn(ENDINGS, kind);

/** What the form before this page ended. */
const doneIn = ({ request, isProof, frame }: OwnerVisit): Html | undefined => {
  const query = new URLSearchParams(request.query);
  const [kind = '', of = '', proof = ''] = ['ended', 'of', 'proof'].map((name) => query.get(name) ?? undefined);
  if (!isKind(kind) || !isProof(proof, ['ended', kind, of])) return undefined;
  return frame.language.html(ENDINGS[kind].done, valuesOf({ kind, of }));
};
