/** First sentence in the description of every endpoint and field that Surface A adds to the contract. */
export const EXTENSION = 'Extension of the contract.';
export const NO_BODY = 'Needs no body. A body is ignored, but must be valid JSON.';
