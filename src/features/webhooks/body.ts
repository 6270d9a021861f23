/** What a body tells. */
export interface BodyParts {
  type: string;
  /** The event's time. */
  occurredAt: Date;
  /** JSON as PostgreSQL writes it: parsing would cut long numbers. */
  data: string;
}

/** The body of a delivery: the same at every try, and in the log. */
export function deliveryBody({ type, occurredAt, data }: BodyParts): string {
  return `{"type":${JSON.stringify(type)},"timestamp":"${occurredAt.toISOString()}","data":${data}}`;
}
