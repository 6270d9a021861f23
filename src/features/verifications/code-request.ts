import type { SendV2Body } from '../../messages/compose/v2-plan.js';
import { buildCodeText, type CodeText } from './texts.js';

export interface CodeSend {
  /** Digits with country code. */
  to: string;
  /** Sender ID of the SMS or of the fallback; null without a fallback. */
  sender: string | null;
  text: CodeText;
  /** Null for SMS. */
  whatsapp: CodeTemplate | null;
}

export interface CodeTemplate {
  from: string;
  /** ID or name. */
  id: string;
  language?: string | undefined;
}

/** Builds a request in the urgent lane, with `mask` in place of the code. */
export function buildCodeRequest({ to, sender, text, whatsapp }: CodeSend, mask: string): SendV2Body {
  const message = buildCodeText(text, mask);
  if (!whatsapp) return { to, from: sender ?? '', channel: 'sms', message, priority: 3 };
  const parameters = [{ type: 'text', text: mask }];
  return {
    to,
    from: whatsapp.from,
    channel: 'whatsapp',
    template_id: whatsapp.id,
    template_data: {
      ...(whatsapp.language !== undefined && { language: { code: whatsapp.language } }),
      components: [
        { type: 'body', parameters },
        { type: 'button', sub_type: 'url', index: '0', parameters },
      ],
    },
    ...(sender !== null && { fallback: { channel: 'sms' as const, from: sender, message } }),
    priority: 3,
  };
}
