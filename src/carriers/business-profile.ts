/** Field names are Meta's ("Business profiles"). Unset fields are absent. */
export interface BusinessProfile {
  about?: string;
  address?: string;
  description?: string;
  email?: string;
  profile_picture_url?: string;
  /** At most two. */
  websites?: readonly string[];
  /** Industry, e.g. RETAIL. */
  vertical?: string;
}

/** An empty value clears a field of the profile. */
export interface ProfileChange extends Omit<BusinessProfile, 'profile_picture_url'> {
  profile_picture_handle?: string;
}
