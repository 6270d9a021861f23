/** The package has no types. This declares what is used of it. */
declare module 'fs-native-extensions' {
  /**
   * Locks the whole file without waiting: an open file description lock on Linux, a BSD lock on macOS.
   * @param fd open for writing
   * @returns false if another open file description has locked it
   */
  export function tryLock(fd: number): boolean;
}
