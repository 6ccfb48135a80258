export default const;
