/** The carrier type defines and validates these settings. */
export type ChannelSettings = Readonly<Record<string, unknown>>;
