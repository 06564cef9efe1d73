import { defined } from '../base/defined.js';
import { type Html, html } from '../base/html.js';
import type { HttpRequest } from '../base/http/messages.js';
import { hiddenInputs } from '../base/pages/forms.js';
import type { Frame } from '../base/pages/frame.js';
import type { FeatureTexts } from '../base/pages/languages/english.js';
import type { OwnerRoute, OwnerVisit } from '../feature/owner-pages.js';
import type { Call, FeatureRoute } from '../feature/parts.js';
import { linksBeside, readPageForm, senderOf, type Visitor, visitorOf } from '../oauth/kernel/owner-pages.js';
import { account, further, signOutButton } from '../oauth/pages/layout.js';
import { accountView } from '../oauth/pages/party-views.js';
import type { Owner } from '../oauth/records/owner.js';
import { type Destination, ownerSessionOf, SIGN_IN_FIELDS } from '../oauth/sign-in/sign-in.js';
import type { Services } from './create-services.js';

/** The fields of every page for owners. */
const FIELDS = { ...SIGN_IN_FIELDS, ui_locales: 'vschar', decision: 'vschar' } as const;

type PageServices = Pick<Services, 'basePath' | 'frame' | 'hooks' | 'pages' | 'readForm' | 'signIn'>;

/** The owner's account, with the form of its button. */
const accountOf = (
  owner: Owner,
  { language }: Pick<Frame, 'language'>,
  { path: action, hidden, canSignOut }: Pick<OwnerVisit, 'path' | 'hidden'> & { readonly canSignOut: boolean },
): Html =>
  html`${account(accountView(owner), language, signOutButton({ canSignOut }, 'signOut', 'out', language))}${
    canSignOut
      ? html`<form method="post" action="${action}" id="out" hidden>${hiddenInputs(hidden)}</form>\n`
      : undefined
  }`;

/** A page of a feature for signed-in owners, as a route. @param feature - The name of the feature. */
export const ownerRoute = <Texts extends FeatureTexts>(
  feature: string,
  { path: paths, texts, link, fields, GET, POST }: OwnerRoute<Texts>,
  { basePath, frame, hooks, pages, readForm, signIn }: PageServices,
): FeatureRoute => {
  const [first = ''] = typeof paths === 'string' ? [paths] : paths;
  const path = basePath + first;
  const ownFrame = frame.with(feature, texts);
  const purposeOf = ({ sub }: Owner): readonly string[] => [`feature ${feature}`, sub];
  const servicesFor = ({ request, emit }: Call) => ({ signIn, readForm, emit, pages: pages.for(request) });
  const destination = (own: typeof ownFrame): Destination => ({
    action: path,
    returnTo: own.address(path),
    hidden: defined({ ui_locales: own.asked }),
  });
  const visitOf = (call: Call, { owner, session }: Visitor, own: typeof ownFrame): OwnerVisit<Texts> => {
    const { sessions, isBuiltIn } = signIn;
    const hidden = { form_token: sessions.formToken(session, purposeOf(owner)), ...defined({ ui_locales: own.asked }) };
    const proven = (what: readonly string[]): readonly string[] => [`proof of ${feature}`, owner.sub, ...what];
    return {
      ...call,
      owner,
      frame: own,
      path,
      hidden,
      cookie: sessions.setCookie(session),
      account: accountOf(owner, own, { path, hidden, canSignOut: isBuiltIn }),
      links: further(linksBeside(path, call.request, own, hooks), own.view, own.language),
      session: ownerSessionOf(session),
      endOthers: async () => {
        const goesOn = await signIn.endOthers(session, owner, call.emit);
        return { session: ownerSessionOf(goesOn), cookie: sessions.setCookie(goesOn) };
      },
      proofOf: (what) => sessions.formToken(session, proven(what)),
      isProof: (proof, what) => sessions.isFormToken(proof, session, proven(what)),
    };
  };
  const frameFor = (request: HttpRequest, uiLocales?: string): typeof ownFrame => ownFrame.for(request, uiLocales);
  return {
    path: paths,
    isPage: true,
    ...(link !== undefined && { link: (request) => frameFor(request).language.text(link) }),
    GET: async (call) => {
      const own = frameFor(call.request);
      const visitor = await visitorOf(call.request, destination(own), servicesFor(call));
      return 'response' in visitor ? visitor.response : GET(visitOf(call, visitor, own));
    },
    POST: async (call) => {
      const services = servicesFor(call);
      const form = await readPageForm(call.request, { ...FIELDS, ...fields }, services);
      const own = frameFor(call.request, form.get('ui_locales'));
      const sender = await senderOf(call.request, form, destination(own), purposeOf, services);
      return 'response' in sender ? sender.response : POST(visitOf(call, sender, own), form);
    },
  };
};
