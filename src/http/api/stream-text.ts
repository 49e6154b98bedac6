/**
 * A body that is made page by page: a page is read when the one before it was sent, and none after the client has gone.
 */
export function streamText<Page>(
  pages: AsyncGenerator<Page>,
  textOf: (page: Page) => string,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await pages.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(textOf(value)));
    },
    cancel: async () => void (await pages.return(undefined)),
  });
}
