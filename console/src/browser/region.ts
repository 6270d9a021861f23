/**
 * Guesses the user's country from the browser's languages, for example DE from `de-DE`. Returns null if none has a region.
 * @param languages preferred language first; the regions of other languages are ignored
 */
export function regionOfLanguages(languages: readonly string[]): string | null {
  const locales = languages.flatMap((language) => localeOf(language) ?? []);
  const sameLanguage = locales.filter(({ language }) => language === locales[0]?.language);
  return sameLanguage.find(({ region }) => region !== undefined)?.region ?? null;
}

function localeOf(language: string): Intl.Locale | null {
  try {
    return new Intl.Locale(language);
  } catch {
    return null;
  }
}
