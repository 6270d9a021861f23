/*
 * Some SMSCs write an ID differently in the response and in the receipt, with hexadecimal digits in different case or an
 * additional leading zero.
 */

export function listOtherSpellings(id: string): string[] {
  const isNumber = /^\d+$/.test(id);
  const spellings = isNumber ? [id.replace(/^0+/, ''), `0${id}`] : [id.toLowerCase(), id.toUpperCase()];
  return spellings.filter((each) => each !== id && each !== '');
}

export function spellingsSql(id: string): string {
  return `(${id}, lower(${id}), upper(${id}), CASE WHEN ${id} ~ '^[0-9]+$' THEN ltrim(${id}, '0') END,
    CASE WHEN ${id} ~ '^[0-9]+$' THEN '0' || ${id} END)`;
}
