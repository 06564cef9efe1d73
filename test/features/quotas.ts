import { feature, option } from 'oauth-query/feature';

export interface QuotaOptions {
  /** Default: 1000. */
  readonly perDay?: number | undefined;
  readonly unit: 'requests' | 'pages';
}

const OPTIONS = option.object({
  perDay: option.wholeNumber(1000, 1, 1_000_000),
  unit: option.required(option.oneOf('requests', 'pages')),
} satisfies option.Schema<QuotaOptions>);

/** Token responses say what a client may have in a day. */
export const quotas = (given: QuotaOptions) => {
  const { perDay, unit } = OPTIONS.read(given, 'quotas: options');
  return feature({
    name: 'quotas',
    start: () => ({ tokens: { fields: () => ({ quota: `${perDay} ${unit}` }) } }),
  });
};
