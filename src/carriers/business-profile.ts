/** What people see of the business behind a WhatsApp number, in Meta's words ("Business profiles"); what is not set is left out. */
export interface BusinessProfile {
  about?: string;
  address?: string;
  description?: string;
  email?: string;
  profile_picture_url?: string;
  /** At most two. */
  websites?: readonly string[];
  /** The branch, such as RETAIL. */
  vertical?: string;
}

/** Fields that are to be others; an empty one is taken away. */
export interface ProfileChange extends Omit<BusinessProfile, 'profile_picture_url'> {
  /** Of a picture that was uploaded to the carrier. */
  profile_picture_handle?: string;
}
