import { toKeyword } from '../../opt-outs/keywords.js';
import type { ConsentPurpose } from '../../opt-outs/ledger/ledger-store.js';

interface Language {
  /** Words that confirm, as people write them. */
  yes: readonly string[];
  /** Names the sender and says how to stop, as the CTIA Messaging Principles (§5.1) require. */
  buildTexts: (name: string) => Readonly<Record<ConsentPurpose, string>>;
}

/** The texts use only the GSM alphabet, so that an SMS has few parts. */
const LANGUAGES: Readonly<Record<string, Language>> = {
  de: {
    yes: ['ja'],
    buildTexts: (name) => ({
      marketing: `${name}: Antworten Sie JA, um Angebote und Neuigkeiten von uns zu erhalten. Mit STOP melden Sie sich ab.`,
      transactional: `${name}: Antworten Sie JA, um Nachrichten von uns zu erhalten. Mit STOP melden Sie sich ab.`,
    }),
  },
  en: {
    yes: ['yes'],
    buildTexts: (name) => ({
      marketing: `${name}: Reply YES to receive our offers and news. Msg & data rates may apply. Reply STOP to opt out.`,
      transactional: `${name}: Reply YES to receive our messages. Msg & data rates may apply. Reply STOP to opt out.`,
    }),
  },
  es: {
    yes: ['sí', 'si'],
    buildTexts: (name) => ({
      marketing: `${name}: Responda SI para recibir nuestras ofertas y novedades. Responda STOP para darse de baja.`,
      transactional: `${name}: Responda SI para recibir nuestros mensajes. Responda STOP para darse de baja.`,
    }),
  },
  fr: {
    yes: ['oui'],
    buildTexts: (name) => ({
      marketing: `${name} : répondez OUI pour recevoir nos offres et nos actualités. Répondez STOP pour vous désabonner.`,
      transactional: `${name} : répondez OUI pour recevoir nos messages. Répondez STOP pour vous désabonner.`,
    }),
  },
  it: {
    yes: ['sì', 'si'],
    buildTexts: (name) => ({
      marketing: `${name}: risponda SI per ricevere le nostre offerte e novità. Risponda STOP per annullare.`,
      transactional: `${name}: risponda SI per ricevere i nostri messaggi. Risponda STOP per annullare.`,
    }),
  },
  nl: {
    yes: ['ja'],
    buildTexts: (name) => ({
      marketing: `${name}: antwoord JA om onze aanbiedingen en nieuws te ontvangen. Antwoord STOP om u af te melden.`,
      transactional: `${name}: antwoord JA om onze berichten te ontvangen. Antwoord STOP om u af te melden.`,
    }),
  },
  pt: {
    yes: ['sim'],
    buildTexts: (name) => ({
      marketing: `${name}: responda SIM para receber as nossas ofertas e novidades. Responda STOP para cancelar.`,
      transactional: `${name}: responda SIM para receber as nossas mensagens. Responda STOP para cancelar.`,
    }),
  },
};

/** Normalized words that confirm in any language, because people do not always answer in the language of the message. */
const YES_WORDS: ReadonlySet<string> = new Set(
  Object.values(LANGUAGES).flatMap(({ yes }) => yes.flatMap((word) => toKeyword(word) ?? [])),
);

/** @param word normalized by `toKeyword` */
export function isYes(word: string): boolean {
  return YES_WORDS.has(word);
}

/**
 * An unknown language gets the English text.
 * @param language language code such as `de` or `pt_BR`
 */
export function buildRequestText(language: string, purpose: ConsentPurpose, name: string): string {
  const [main = ''] = language.toLowerCase().split(/[_-]/);
  return (LANGUAGES[main] ?? (LANGUAGES.en as Language)).buildTexts(name)[purpose];
}
