/**
 * The country that the browser's languages name, such as DE of `de-DE`; null where they name none.
 * @param languages the preferred one first; those of others than its own say nothing of where somebody is
 */
export function regionOfLanguages(languages: readonly string[]): string | null {
  const locales = languages.flatMap((language) => localeOf(language) ?? []);
  const own = locales.filter(({ language }) => language === locales[0]?.language);
  return own.find(({ region }) => region !== undefined)?.region ?? null;
}

function localeOf(language: string): Intl.Locale | null {
  try {
    return new Intl.Locale(language);
  } catch {
    return null;
  }
}
