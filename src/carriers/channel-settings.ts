/** The carrier type defines and validates them. */
export type ChannelSettings = Readonly<Record<string, unknown>>;
