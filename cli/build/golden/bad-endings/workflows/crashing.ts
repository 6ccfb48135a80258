setTimeout(() => {
  throw new Error("too late");
}, 0);
await new Promise((resolve) => setTimeout(resolve, 50));
export default null;
