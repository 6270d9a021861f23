/** The account on whose behalf a request is made, as authentication found it. */
export interface AccountRef {
  id: string;
  currency: string;
  rateCardId: string;
}
