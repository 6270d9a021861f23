import type { SendV2Body } from '../../messages/compose/v2-plan.js';
import { type CodeText, codeText } from './texts.js';

/** A code to one recipient, and the way by which it leaves. */
export interface CodeSend {
  /** Digits with country code. */
  to: string;
  /** Sender ID of the SMS; with `whatsapp` of the fallback: null, there is none. */
  sender: string | null;
  text: CodeText;
  /** Null: by SMS. */
  whatsapp: CodeTemplate | null;
}

/** An authentication template, whose body and button take the code. */
export interface CodeTemplate {
  /** Number of the channel. */
  from: string;
  /** Id or name. */
  id: string;
  language?: string | undefined;
}

/** The send of a code, as `POST /v2/send` takes it, in the urgent lane. @param mask what stands in the place of the code */
export function codeSend({ to, sender, text, whatsapp }: CodeSend, mask: string): SendV2Body {
  const message = codeText(text, mask);
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
