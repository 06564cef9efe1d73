import type { ClientRegistration } from 'oauth-query';
import type { OAuthQueryOptions } from 'oauth-query/express';
import {
  arabic,
  english,
  french,
  german,
  japanese,
  portuguese,
  simplifiedChinese,
  spanish,
} from 'oauth-query/languages';

/** Options for every framework: without `owner`, because the built-in page signs users in. */
export type SiteOptions = Omit<OAuthQueryOptions, 'owner'>;

const CALLBACK = 'http://127.0.0.1/callback';
const CONTENT = { scope: 'profile content.read content.write', default_scope: 'profile content.read' };

/** The client of the sandbox, at every URL of the demo. */
export const sandboxClient = (bases: readonly string[]): ClientRegistration => ({
  client_id: 'sandbox',
  client_name: 'The API sandbox',
  grant_types: ['authorization_code'],
  redirect_uris: bases.map((base) => `${base}/api/sandbox`),
  scope: `${CONTENT.scope} highvolume`,
  default_scope: CONTENT.default_scope,
});

/** Adds the URLs of the demo, including `localhost`, to the redirect URIs of a client on this machine. */
export const reachedAt = (client: ClientRegistration, base: string): ClientRegistration => {
  const { redirect_uris = [] } = client;
  if (!redirect_uris.includes(CALLBACK) || base.startsWith('http://127.0.0.1')) return client;
  return { ...client, redirect_uris: [...redirect_uris, `${base}/callback`] };
};

/** MediaWiki's paths in addition to the default ones, for clients with fixed paths. */
export const MEDIAWIKI_PATHS: NonNullable<SiteOptions['paths']> = {
  authorize: ['/oauth/authorize', '/w/rest.php/oauth2/authorize'],
  token: ['/oauth/token', '/w/rest.php/oauth2/access_token'],
};

/** The name and the logo of the demo: a harbour light. */
export const BRAND = {
  name: 'oauth-query demo',
  logo: `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 44 44" width="44" height="44"><rect width="44" height="44" rx="12" fill="#2350c5"/><path d="M18 34l2-16h4l2 16zM19 15h6v-3l-3-3-3 3zM28 12l8-3v7zM16 12l-8-3v7z" fill="#fff"/></svg>')}`,
};

/** The clients, owners and scopes of the demo. All of it is public. */
export const SITE: SiteOptions & { readonly clients: readonly ClientRegistration[] } = {
  // Fixed, so that several instances can share a store.
  secret: 'the secret of the demo, which is public',
  grants: ['authorization_code', 'client_credentials', 'refresh_token', 'device_code', 'password', 'implicit'],
  branding: BRAND,
  languages: [english, arabic, french, german, japanese, portuguese, simplifiedChinese, spanish],
  scopes: {
    profile: {
      description: 'See your name',
      translations: {
        ar: 'الاطّلاع على اسمك',
        de: 'Ihren Namen sehen',
        es: 'Ver tu nombre',
        fr: 'Voir votre nom',
        ja: '名前を表示する',
        'pt-BR': 'Ver seu nome',
        'zh-Hans': '查看你的姓名',
      },
    },
    'content.read': {
      description: 'Read the content of this site',
      translations: {
        ar: 'قراءة محتوى هذا الموقع',
        de: 'Die Inhalte dieser Website lesen',
        es: 'Leer el contenido de este sitio',
        fr: 'Lire le contenu de ce site',
        ja: 'このサイトの内容を読む',
        'pt-BR': 'Ler o conteúdo deste site',
        'zh-Hans': '阅读此网站的内容',
      },
    },
    'content.write': {
      description: 'Change the content of this site',
      translations: {
        ar: 'تغيير محتوى هذا الموقع',
        de: 'Die Inhalte dieser Website ändern',
        es: 'Cambiar el contenido de este sitio',
        fr: 'Modifier le contenu de ce site',
        ja: 'このサイトの内容を変更する',
        'pt-BR': 'Alterar o conteúdo deste site',
        'zh-Hans': '更改此网站的内容',
      },
    },
    highvolume: {
      description: 'Read more pages per request',
      rights: ['apihighlimits'],
      translations: {
        ar: 'قراءة صفحات أكثر في كل طلب',
        de: 'Mehr Seiten pro Anfrage lesen',
        es: 'Leer más páginas por solicitud',
        fr: 'Lire davantage de pages par requête',
        ja: '1 回のリクエストでより多くのページを読む',
        'pt-BR': 'Ler mais páginas por solicitação',
        'zh-Hans': '每个请求读取更多页面',
      },
    },
    introspect: 'Inspect all tokens',
  },
  users: [
    { username: 'alice', password: 'wonderland' },
    { username: 'bob', password: 'builder' },
  ],
  clients: [
    {
      client_id: 'web',
      client_secret: 'web-secret',
      client_name: 'A web application',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: [CALLBACK, 'https://app.example/cb?keep=1'],
      ...CONTENT,
    },
    {
      client_id: 'spa',
      client_name: 'A single-page app',
      grant_types: ['authorization_code'],
      redirect_uris: [CALLBACK],
      ...CONTENT,
    },
    {
      client_id: 'native',
      client_name: 'A native app',
      grant_types: ['authorization_code', 'device_code'],
      refresh: 'rotating',
      redirect_uris: [CALLBACK],
      ...CONTENT,
    },
    { client_id: 'tv', client_name: 'A television', grant_types: ['device_code'], refresh: 'rotating', ...CONTENT },
    {
      client_id: 'service',
      client_secret: 'service-secret',
      grant_types: ['client_credentials'],
      scope: 'content.read highvolume',
    },
    {
      client_id: 'api',
      client_secret: 'api-secret',
      grant_types: ['client_credentials'],
      scope: 'introspect',
      introspect: true,
    },
    {
      client_id: 'legacy',
      client_secret: 'legacy-secret',
      client_name: 'A legacy application',
      grant_types: ['password', 'implicit'],
      redirect_uris: [CALLBACK, 'https://legacy.example/cb'],
      ...CONTENT,
    },
    { client_id: 'odd', client_secret: 'a:b%c+d e', grant_types: ['client_credentials'], ...CONTENT },
    {
      client_id: 'rolling',
      client_secret: ['old-secret', 'new-secret'],
      grant_types: ['client_credentials'],
      ...CONTENT,
    },
    {
      client_id: 'plain',
      client_name: 'A device without SHA-256',
      grant_types: ['authorization_code'],
      code_challenge_methods: ['plain', 'S256'],
      redirect_uris: ['http://[::1]/cb'],
      ...CONTENT,
    },
  ],
  // Scripts of any origin may request tokens, so that you can serve them anywhere.
  cors: ['*'],
};
