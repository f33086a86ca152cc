/** Splits the bytes of one streamed response into its frames. */
export interface FrameReader {
  /**
   * Gives the frames that these bytes complete, those before a fault too.
   *
   * @throws InferenceError `malformed` for bytes that are no frames, or a frame longer than the cap.
   */
  push(bytes: Uint8Array): Iterable<string>
  /** Gives the frame that was not closed before the stream ended; it may be cut short. */
  end(): string | undefined
}
