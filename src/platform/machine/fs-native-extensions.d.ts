/** The package has no types of its own; this is what is used of it. */
declare module 'fs-native-extensions' {
  /**
   * Takes a lock on the whole file without waiting: an open file description lock on Linux, a BSD lock on macOS.
   * @param fd open for writing
   * @returns false when another open file description holds it
   */
  export function tryLock(fd: number): boolean;
}
