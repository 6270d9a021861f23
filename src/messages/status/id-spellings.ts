/*
 * Some SMSCs write an ID differently in the response and in the receipt: hexadecimal digits in the other case, or a number with and without
 * a leading zero. Such a spelling counts only where no message has the ID as it is written.
 */

/** The other spellings of a carrier's ID. */
export function otherSpellings(id: string): string[] {
  const isNumber = /^\d+$/.test(id);
  const others = isNumber ? [id.replace(/^0+/, ''), `0${id}`] : [id.toLowerCase(), id.toUpperCase()];
  return others.filter((each) => each !== id && each !== '');
}

/** SQL: the spellings of an ID, itself first, as the list of an IN. */
export function spellingsOf(id: string): string {
  return `(${id}, lower(${id}), upper(${id}), CASE WHEN ${id} ~ '^[0-9]+$' THEN ltrim(${id}, '0') END,
    CASE WHEN ${id} ~ '^[0-9]+$' THEN '0' || ${id} END)`;
}
