export default { slug: "object", run: () => null };
