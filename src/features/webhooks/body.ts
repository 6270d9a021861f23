export interface BodyParts {
  type: string;
  occurredAt: Date;
  /** JSON text from PostgreSQL, which is not parsed because long numbers would lose digits. */
  data: string;
}

export function buildDeliveryBody({ type, occurredAt, data }: BodyParts): string {
  return `{"type":${JSON.stringify(type)},"timestamp":"${occurredAt.toISOString()}","data":${data}}`;
}
