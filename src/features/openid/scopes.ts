/** The scope that makes an authorization request one of OpenID Connect. */
export const OPENID = 'openid';

/** The scope with which a client asks for a refresh token (OpenID Connect Core 1.0 §11). */
export const OFFLINE_ACCESS = 'offline_access';

/** The claims of each scope (OpenID Connect Core 1.0 §5.4). */
export const STANDARD_CLAIMS = {
  profile: [
    ...['name', 'family_name', 'given_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture'],
    ...['website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'updated_at'],
  ],
  email: ['email', 'email_verified'],
  address: ['address'],
  phone: ['phone_number', 'phone_number_verified'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** A scope whose claims the standard defines. */
type StandardScope = keyof typeof STANDARD_CLAIMS;

/** A scope on pages: in English, and by language. */
interface Description {
  readonly description: string;
  readonly translations: Readonly<Record<string, string>>;
}

/** What the pages say about each scope, in every language of the package. */
export const DESCRIPTIONS: Readonly<Record<typeof OPENID | StandardScope, Description>> = {
  openid: {
    description: 'Know who you are on this site',
    translations: {
      de: 'Wissen, wer Sie auf dieser Website sind',
      es: 'Saber quién eres en este sitio',
      ar: 'معرفة هويتك على هذا الموقع',
      fr: 'Savoir qui vous êtes sur ce site',
      ja: 'このサイトでのあなたのアカウントを知る',
      'pt-BR': 'Saber quem é você neste site',
      'zh-Hans': '知道你在本网站的身份',
    },
  },
  profile: {
    description: 'See your name and your public profile',
    translations: {
      de: 'Ihren Namen und Ihr öffentliches Profil sehen',
      es: 'Ver tu nombre y tu perfil público',
      ar: 'الاطلاع على اسمك وملفك الشخصي العام',
      fr: 'Voir votre nom et votre profil public',
      ja: 'あなたの名前と公開プロフィールを見る',
      'pt-BR': 'Ver seu nome e seu perfil público',
      'zh-Hans': '查看你的姓名和公开资料',
    },
  },
  email: {
    description: 'See your e-mail address',
    translations: {
      de: 'Ihre E-Mail-Adresse sehen',
      es: 'Ver tu dirección de correo electrónico',
      ar: 'الاطلاع على عنوان بريدك الإلكتروني',
      fr: 'Voir votre adresse e-mail',
      ja: 'あなたのメールアドレスを見る',
      'pt-BR': 'Ver seu endereço de e-mail',
      'zh-Hans': '查看你的电子邮件地址',
    },
  },
  address: {
    description: 'See your postal address',
    translations: {
      de: 'Ihre Postanschrift sehen',
      es: 'Ver tu dirección postal',
      ar: 'الاطلاع على عنوانك البريدي',
      fr: 'Voir votre adresse postale',
      ja: 'あなたの住所を見る',
      'pt-BR': 'Ver seu endereço postal',
      'zh-Hans': '查看你的邮寄地址',
    },
  },
  phone: {
    description: 'See your phone number',
    translations: {
      de: 'Ihre Telefonnummer sehen',
      es: 'Ver tu número de teléfono',
      ar: 'الاطلاع على رقم هاتفك',
      fr: 'Voir votre numéro de téléphone',
      ja: 'あなたの電話番号を見る',
      'pt-BR': 'Ver seu número de telefone',
      'zh-Hans': '查看你的电话号码',
    },
  },
};

/** What the consent page says about a single claim. */
const ENGLISH = 'See this about you: {name}';

const SINGLE: Readonly<Record<string, string>> = {
  de: 'Diese Angabe über Sie sehen: {name}',
  es: 'Ver este dato sobre ti: {name}',
  ar: 'الاطلاع على هذه المعلومة عنك: {name}',
  fr: 'Voir cette information sur vous\u00a0: {name}',
  ja: 'あなたに関するこの情報を見る: {name}',
  'pt-BR': 'Ver esta informação sobre você: {name}',
  'zh-Hans': '查看关于你的此项信息：{name}',
};

/** Single claims, as pages show them. */
export const describeClaims = (
  names: readonly string[],
  locale: string,
): readonly { readonly name: string; readonly description: string }[] => {
  const text = (Object.hasOwn(SINGLE, locale) ? SINGLE[locale] : undefined) ?? ENGLISH;
  return names.map((name) => ({ name, description: text.replace('{name}', () => name) }));
};
