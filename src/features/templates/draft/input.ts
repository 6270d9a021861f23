/** A button of a draft, as its schema has checked it. Further fields go to the carrier as they are. */
export interface ButtonInput {
  type: string;
  text?: string;
  url?: string;
  phone_number?: string;
  otp_type?: string;
  example?: string | string[];
  [extra: string]: unknown;
}

/** A card of a carousel. */
export interface CardInput {
  components: DraftComponentInput[];
  [extra: string]: unknown;
}

/** A component of a draft, as its schema has checked it. Further fields go to the carrier as they are. */
export interface DraftComponentInput {
  type: string;
  format?: string;
  text?: string;
  buttons?: ButtonInput[];
  example?: Record<string, unknown>;
  add_security_recommendation?: boolean;
  code_expiration_minutes?: number;
  limited_time_offer?: { text: string; has_expiration?: boolean; [extra: string]: unknown };
  cards?: CardInput[];
  [extra: string]: unknown;
}

export interface DraftInput {
  name: string;
  language: string;
  category: string;
  components: DraftComponentInput[];
}

/** A component in Meta's form: its type in capital letters. */
export type DraftComponent = { type: string } & Record<string, unknown>;

/** Tells a field and the rule that it breaks; null breaks none. */
export type Report = (field: string, rule: string | null) => void;
