/** The forms in which one value reaches the server, by kind of input. Each row has a form and what it means. */

/** The address of a caller, as frameworks, proxies and `Forwarded` (RFC 7239 §6) write it, and its source for limits. */
export const ADDRESSES: readonly (readonly [form: string, source: string])[] = [
  ['203.0.113.9', '203.0.113.9'],
  ['203.0.113.9:50001', '203.0.113.9'],
  ['203.0.113.9:_port', '203.0.113.9'],
  ['"203.0.113.9"', '203.0.113.9'],
  ['"203.0.113.9:50001"', '203.0.113.9'],
  [' 203.0.113.9 ', '203.0.113.9'],
  ['[203.0.113.9]:1', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::FFFF:203.0.113.9', '203.0.113.9'],
  ['0:0:0:0:0:ffff:203.0.113.9', '203.0.113.9'],
  ['::ffff:cb00:7109', '203.0.113.9'],
  ['[::ffff:203.0.113.9]:50001', '203.0.113.9'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
  ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
  ['[2001:db8::1]', '2001:db8:0:0::/64'],
  ['[2001:db8::1]:50001', '2001:db8:0:0::/64'],
  ['"[2001:db8::1]:50001"', '2001:db8:0:0::/64'],
  ['2001:db8::1%eth0', '2001:db8:0:0::/64'],
  ['[2001:db8::1%25eth0]:1', '2001:db8:0:0::/64'],
  // An IPv4 address that is embedded in another way belongs to a translator, not to a caller.
  ['64:ff9b::203.0.113.9', '64:ff9b:0:0::/64'],
  // All callers whose address cannot be read are one source.
  ...[
    '',
    'unknown',
    '_hidden',
    'localhost',
    'undefined',
    '203.0.113.9, 10.0.0.1',
    '203.0.113',
    '203.0.113.256',
    '203.0.113.09',
    '203.0.113.9:1:2',
    '203.0.113.9:',
    '[203.0.113.9',
    '[2001:db8::1]x',
    '2001:db8::1::',
    'for=203.0.113.9',
    '%eth0',
    '"',
    'x'.repeat(16_000),
    `${' '.repeat(16_000)}203.0.113.9`,
  ].map((form) => [form, ''] as const),
];

const fullWidth = (text: string): string =>
  text.replaceAll(/[!-~]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0));

/** How people type the code of a device, which is shown in two halves. */
export const userCodes = (one: string, two: string): readonly string[] => [
  `${one}-${two}`,
  `${one} ${two}`,
  `${one}${two}`,
  `${one}${two}`.toLowerCase(),
  ` ${one.toLowerCase()} - ${two} `,
  `${one}_${two}`,
  [...one, ...two].join('.'),
  `${one}\u2013${two}`,
  `${one}\u2014${two}`,
  `${one}\u2212${two}`,
  `${one}\u00a0${two}`,
  `\u201c${one}-${two}\u201d`,
  `'${one}-${two}'`,
  `${one}\u200b-\u200b${two}\ufeff`,
  fullWidth(`${one}-${two}`),
  fullWidth(`${one}${two}`.toLowerCase()),
  `${one}/${two}.`,
];

/** How people type the user name `zoë`. */
export const USER_NAMES: readonly string[] = [
  'zo\u00eb',
  'zoe\u0308',
  'Zo\u00eb',
  ' zo\u00eb',
  'zo\u00eb ',
  'zoe\u0308\u00a0',
  'zo\u00eb\u200b',
  '\uff5ao\u00eb',
];

/** Texts with characters that no URI has (RFC 3986 §2): programs disagree about the host that some of them name. */
export const NO_URIS: readonly string[] = [
  String.raw`https://a.example\@evil.example/`,
  String.raw`https://a.example/\evil.example`,
  ...['"', '<', '>', '^', '`', '{', '|', '}'].map((character) => `https://a.example/cb?x=${character}`),
  String.raw`com.example.app:/cb\x`,
  ...['%', '%zz', '%4', '%4g', '%%41', '%u0041'].map((escape) => `https://a.example/cb?x=${escape}`),
  'https://a.example/cb%',
  'com.example.app:/%zz',
];
