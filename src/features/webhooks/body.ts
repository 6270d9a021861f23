export interface BodyParts {
  type: string;
  occurredAt: Date;
  /** JSON text from PostgreSQL. Parsing it would lose digits of long numbers. */
  data: string;
}

/** The body in the standard format is the same for every attempt and in the log. */
export function deliveryBody({ type, occurredAt, data }: BodyParts): string {
  return `{"type":${JSON.stringify(type)},"timestamp":"${occurredAt.toISOString()}","data":${data}}`;
}
