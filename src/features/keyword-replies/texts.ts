import type { KeywordMeaning } from '../opt-outs/message-keyword.js';

/** Names the sender, and says how to get help and how to stop, as the CTIA Messaging Principles (§5.1) require. */
type BuildTexts = (name: string, contact: string) => Readonly<Record<KeywordMeaning | 'stopMarketing', string>>;

/** The texts use only the GSM alphabet where possible, so that an SMS has few parts. */
const TEXTS: Readonly<Record<string, BuildTexts>> = {
  de: (name, contact) => ({
    stop: `${name}: Sie sind abgemeldet und erhalten keine weiteren Nachrichten. Hilfe: ${contact}. START meldet Sie wieder an.`,
    stopMarketing: `${name}: Sie sind abgemeldet und erhalten keine Werbung mehr. Hilfe: ${contact}. START meldet Sie wieder an.`,
    start: `${name}: Sie erhalten wieder Nachrichten. Hilfe: ${contact} oder HELP. Mit STOP melden Sie sich ab.`,
    help: `${name}: Hilfe erhalten Sie unter ${contact}. Mit STOP melden Sie sich ab.`,
  }),
  en: (name, contact) => ({
    stop: `${name}: You are unsubscribed and will receive no more messages. Help: ${contact}. Reply START to resubscribe.`,
    stopMarketing: `${name}: You will receive no more marketing messages. Help: ${contact}. Reply START to resubscribe.`,
    start: `${name}: You are subscribed again. Msg & data rates may apply. Reply HELP for help (${contact}), STOP to cancel.`,
    help: `${name}: For help, contact ${contact}. Msg & data rates may apply. Reply STOP to cancel.`,
  }),
  es: (name, contact) => ({
    stop: `${name}: Baja confirmada, no le enviaremos mensajes. Ayuda: ${contact}. Responda START para volver a recibirlos.`,
    stopMarketing: `${name}: Baja confirmada, no le enviaremos publicidad. Ayuda: ${contact}. Responda START para volver a recibirlos.`,
    start: `${name}: Vuelve a recibir mensajes. Ayuda: ${contact} o HELP. Responda STOP para darse de baja.`,
    help: `${name}: Para recibir ayuda, contacte con ${contact}. Responda STOP para darse de baja.`,
  }),
  fr: (name, contact) => ({
    stop: `${name} : désabonnement confirmé, plus aucun message ne vous sera envoyé. Aide : ${contact}. Répondez START pour vous réabonner.`,
    stopMarketing: `${name} : désabonnement confirmé, plus aucune publicité ne vous sera envoyée. Aide : ${contact}. Répondez START pour vous réabonner.`,
    start: `${name} : vous recevez de nouveau nos messages. Aide : ${contact} ou HELP. Répondez STOP pour vous désabonner.`,
    help: `${name} : pour obtenir de l'aide, contactez ${contact}. Répondez STOP pour vous désabonner.`,
  }),
  it: (name, contact) => ({
    stop: `${name}: iscrizione annullata, non riceverà altri messaggi. Aiuto: ${contact}. Risponda START per iscriversi di nuovo.`,
    stopMarketing: `${name}: iscrizione annullata, non riceverà altra pubblicità. Aiuto: ${contact}. Risponda START per iscriversi di nuovo.`,
    start: `${name}: riceverà di nuovo i messaggi. Aiuto: ${contact} o HELP. Risponda STOP per annullare.`,
    help: `${name}: per assistenza contatti ${contact}. Risponda STOP per annullare.`,
  }),
  nl: (name, contact) => ({
    stop: `${name}: u bent afgemeld en ontvangt geen berichten meer. Hulp: ${contact}. Antwoord START om u weer aan te melden.`,
    stopMarketing: `${name}: u bent afgemeld en ontvangt geen reclame meer. Hulp: ${contact}. Antwoord START om u weer aan te melden.`,
    start: `${name}: u ontvangt weer berichten. Hulp: ${contact} of HELP. Antwoord STOP om u af te melden.`,
    help: `${name}: voor hulp kunt u terecht bij ${contact}. Antwoord STOP om u af te melden.`,
  }),
  pt: (name, contact) => ({
    stop: `${name}: cancelamento confirmado, deixa de receber mensagens. Ajuda: ${contact}. Responda START para voltar a receber.`,
    stopMarketing: `${name}: cancelamento confirmado, deixa de receber publicidade. Ajuda: ${contact}. Responda START para voltar a receber.`,
    start: `${name}: volta a receber mensagens. Ajuda: ${contact} ou HELP. Responda STOP para cancelar.`,
    help: `${name}: para obter ajuda, contacte ${contact}. Responda STOP para cancelar.`,
  }),
};

/** Each language of the default texts. */
export const REPLY_LANGUAGES: readonly string[] = Object.keys(TEXTS);

/**
 * An unknown language gets the English texts.
 * @param stopsMarketingOnly whether a STOP blocks marketing only
 */
export function buildDefaultTexts(
  language: string,
  { name, contact }: { name: string; contact: string },
  stopsMarketingOnly = false,
): Readonly<Record<KeywordMeaning, string>> {
  const { stopMarketing, ...texts } = (TEXTS[language] ?? (TEXTS.en as BuildTexts))(name, contact);
  return stopsMarketingOnly ? { ...texts, stop: stopMarketing } : texts;
}
