/** What the document says first of an endpoint or a field that Surface A has beyond the contract. */
export const EXTENSION = 'Extension of the contract.';
/** And of a POST that only does something. */
export const NO_BODY = 'It needs no body; what a body says is ignored, but one that is not valid JSON is refused.';
