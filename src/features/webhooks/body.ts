export interface BodyParts {
  type: string;
  occurredAt: Date;
  /** JSON text from PostgreSQL. Parsing it would lose digits of long numbers. */
  data: string;
}

export function buildDeliveryBody({ type, occurredAt, data }: BodyParts): string {
  return `{"type":${JSON.stringify(type)},"timestamp":"${occurredAt.toISOString()}","data":${data}}`;
}
