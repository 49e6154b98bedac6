// A Farcaster client shows a splash screen over a mini app until the app calls `ready`: the one message of
// https://miniapps.farcaster.xyz/docs/sdk that this page sends, in the wire format of comlink.

const ready = {
  id: crypto.randomUUID?.() ?? String(performance.now()),
  type: 'APPLY',
  path: ['ready'],
  argumentList: [{ type: 'RAW', value: {} }],
};

// The message only says that the page is ready, so it may go to any parent frame.
if (window.ReactNativeWebView) window.ReactNativeWebView.postMessage(JSON.stringify(ready));
else if (window.parent !== window) window.parent.postMessage(ready, '*');
