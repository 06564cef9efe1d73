/** An object as JSON, with one more member at its end, whose value is JSON already. */
export const jsonWith = (object: object, name: string, json: string): string => {
  const others = JSON.stringify(object).slice(0, -1);
  return `${others}${others === '{' ? '' : ','}${JSON.stringify(name)}:${json}}`;
};
