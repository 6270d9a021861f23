/** Defined by the carrier type. */
export type ChannelSettings = Readonly<Record<string, unknown>>;
