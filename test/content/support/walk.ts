export type Params = Readonly<Record<string, string>>;
export type Json = Readonly<Record<string, unknown>>;

/**
 * The responses to a client that follows continuations.
 *
 * @param first - Ends after so many; otherwise the walk must end by itself.
 */
export const walk = async (
  send: (params: Params) => Promise<Json>,
  params: Params,
  first = Infinity,
): Promise<readonly Json[]> => {
  const answers: Json[] = [];
  for (let progress: Params = {}; answers.length < first;) {
    const json = await send({ ...params, ...progress });
    answers.push(json);
    if (!json['continue']) break;
    const more = Object.entries(json['continue']).map(([name, value]) => [name, String(value)]);
    progress = Object.fromEntries(more) as Params;
    if (answers.length === 3_000) throw new Error(`The walk through ${JSON.stringify(params)} does not end.`);
  }
  return answers;
};
