/** A button of a draft, as its schema has checked it. */
export interface ButtonInput {
  type: string;
  text?: string;
  url?: string;
  phone_number?: string;
  otp_type?: string;
  example?: string | string[];
}

/** A component of a draft, as its schema has checked it. */
export interface DraftComponentInput {
  type: string;
  format?: string;
  text?: string;
  buttons?: ButtonInput[];
  example?: Record<string, unknown>;
  add_security_recommendation?: boolean;
  code_expiration_minutes?: number;
}

export interface DraftInput {
  name: string;
  language: string;
  category: string;
  components: DraftComponentInput[];
}
