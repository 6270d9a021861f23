/** fs-native-extensions has no types. */
declare module 'fs-native-extensions' {
  /** Takes an open file description lock on Linux and a BSD lock on macOS. */
  export function tryLock(fd: number): boolean;
}
