/** Unknown fields are passed to the carrier unchanged. */
export interface ButtonInput {
  type: string;
  text?: string;
  url?: string;
  phone_number?: string;
  otp_type?: string;
  example?: string | string[];
  [extra: string]: unknown;
}

export interface CardInput {
  components: DraftComponentInput[];
  [extra: string]: unknown;
}

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

export type DraftComponent = { type: string } & Record<string, unknown>;

/** Reports a field with the rule that it breaks, unless the rule is null. */
export type Report = (field: string, rule: string | null) => void;
